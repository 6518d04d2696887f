"""The pages in a real browser before the real server, all on one clock that is moved by hand."""
