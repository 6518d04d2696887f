"""Views: felts, tables, seats and the floor, as they are sent to clients."""
