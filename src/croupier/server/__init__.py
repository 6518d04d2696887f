"""The web: pages and the live wire that terminals, consoles and displays connect to."""
