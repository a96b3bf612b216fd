/** Number orders and interleavings, and find them again by their numbers. */

/**
 * The number of an order of 0..n-1, of which only the first places may be given.
 *
 * @param {readonly number[]} order @param {number} n
 */
export function orderIndex(order, n) {
  let index = 0;
  order.forEach((item, place) => {
    const before = order.slice(0, place).filter((earlier) => earlier < item).length;
    index = index * (n - place) + item - before; // smaller items that come later
  });
  return index;
}

/**
 * The first places of the order of that number.
 *
 * @param {number} index @param {number} n @param {number} places
 */
export function orderAt(index, n, places) {
  const digits = [];
  for (let place = places - 1; place >= 0; place -= 1) {
    digits.unshift(index % (n - place));
    index = Math.floor(index / (n - place));
  }
  const left = Array.from({ length: n }, (_, item) => item);
  return digits.map((digit) => left.splice(digit, 1)[0]);
}

/**
 * How many orders `places` of n items have: exact below 2^53, which callers check.
 *
 * @param {number} n @param {number} places
 */
export function countOrders(n, places) {
  let count = 1;
  for (let place = 0; place < places; place += 1) count *= n - place;
  return count;
}

/**
 * How many ways there are to choose: exact below 2^53 / n, which callers check.
 *
 * @param {number} n @param {number} chosen
 */
export function choose(n, chosen) {
  const few = Math.min(chosen, n - chosen); // as many as to leave out
  let ways = few < 0 ? 0 : 1;
  for (let nth = 1; nth <= few; nth += 1) ways = (ways * (n - few + nth)) / nth;
  return ways;
}

/**
 * The colexicographic number of some places: index = sum of C(place_i, i), ascending places.
 *
 * @param {readonly number[]} places
 */
export function placesIndex(places) {
  return [...places].sort((a, b) => a - b).reduce((sum, place, nth) => sum + choose(place, nth + 1), 0);
}

/**
 * The ascending places of that number.
 *
 * @param {number} index @param {number} n @param {number} chosen
 */
export function placesAt(index, n, chosen) {
  const places = [];
  for (let place = n - 1; places.length < chosen; place -= 1) {
    const ways = choose(place, chosen - places.length);
    if (ways > index) continue;
    places.unshift(place);
    index -= ways;
  }
  return places;
}
