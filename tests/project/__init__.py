"""The project: its pages, scripts, package, deployment and suite."""
