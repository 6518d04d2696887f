"""Gateways: processes that hold the WebSockets of clients, and speak with the house over NATS."""
