from matplotlib.figure import Figure

from hushrank.reports.notebook import notebook_html


def test_names_cannot_command_the_notebook():
    html = notebook_html("<b>", {"<i>": "<script>"}, notes=["<img src=x>"])
    assert "<script>" not in html
    assert "<img" not in html
    assert "&lt;script&gt;" in html


def test_the_picture_is_inside():
    html = notebook_html("title", {}, picture=Figure(figsize=(1, 1)), caption="ranks")
    assert html.count("data:image/png;base64,") == 1
    assert "http" not in html
