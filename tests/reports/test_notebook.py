from hushrank.reports.notebook import notebook_html
from hushrank.reports.order_drawing import order_drawing


def test_names_cannot_command_the_notebook():
    drawn = order_drawing(["<i>", "<script>"], (0, 1), None)
    rows, notes = {"<i>": "<script>"}, ["<img src=x>"]
    html = notebook_html("<b>", rows, notes=notes, picture=drawn, caption="<u>")
    assert "<script>" not in html
    assert "<img" not in html
    assert "<u>" not in html
    assert "&lt;script&gt;" in html


def test_the_picture_is_inside_and_colours_nothing_else():
    html = notebook_html("title", {}, picture=order_drawing(["a", "b"], (0, 1), None), caption="x")
    assert html.count("<svg") == 1
    assert "http" not in html
    assert ":root" not in html
