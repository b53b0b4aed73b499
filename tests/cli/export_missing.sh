pitwall export missing.pit --format csv
