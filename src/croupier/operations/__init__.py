"""Operations: backup, restore, integrity of the software, the control socket and the maintenance service."""
