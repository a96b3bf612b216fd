"""What hushrank is timed against, each in an environment of its own."""
