// The token of a sign-in link stands in the fragment, which no browser sends: this module takes it
// out of the address (and so out of the history), and posts it.
const token = new URLSearchParams(location.hash.slice(1)).get("t");
if (token) {
  history.replaceState(null, "", location.pathname);
  const field = document.querySelector("#token");
  field.value = token;
  field.form.submit();
}
