printf "[TIMING] load: 90.00s (1.50min)\n[TIMING] train: 270.00s (4.50min)\n[W] Last 10 steps: step=1.50ms\n" | pitwall log -
