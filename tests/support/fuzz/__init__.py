"""The fuzzer of the wire."""
