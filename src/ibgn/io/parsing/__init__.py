"""What readers of several formats parse alike: tables, JSON, XML, times, starts and stops."""
