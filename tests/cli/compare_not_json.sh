printf "{\"results\": [" > cut.json
pitwall compare cut.json cut.json
