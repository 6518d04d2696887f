"""What tests share: drivers, oracles, generators and tools."""
