"""hushrank aggregate: parse, aggregate once, print and write."""
