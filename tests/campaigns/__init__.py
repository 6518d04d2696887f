"""Campaigns: processes killed, disks that fail and hostile messages, over and over."""
