"""The wire: every inbound and outbound message, typed; its schemas and docs derive from it."""
