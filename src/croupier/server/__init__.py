"""The server: connections, sign-in, published views, queries, and the pages that a browser loads."""
