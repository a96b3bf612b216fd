"""A browser whose random bytes come from a tape, so that two visits can be compared."""

TAPE = """
(() => {
  let state = BigInt(%d) * 0x9e3779b97f4a7c15n;
  const next = () => {
    state = (state + 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn;
    let word = state;
    word = ((word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n) & 0xffffffffffffffffn;
    word = ((word ^ (word >> 27n)) * 0x94d049bb133111ebn) & 0xffffffffffffffffn;
    return Number((word ^ (word >> 31n)) & 0xffn);
  };
  Crypto.prototype.getRandomValues = function (array) {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = next();
    return array;
  };
})();
"""


def tape(number: int) -> str:
    """Return the script that lets a page draw from tape `number`."""
    return TAPE % number
