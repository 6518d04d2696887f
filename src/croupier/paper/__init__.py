"""Paper: slips, tickets, receipts, tax forms and reports, from the facts to what a printer is sent."""
