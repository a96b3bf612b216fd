"""hushrank attack and hushrank evaluate: parse, judge a release once, print and write."""
