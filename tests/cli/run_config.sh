printf 'trainer_params:\n  enable_memory_monitoring: true\n  memory_monitor_batches: 5.5\n' >conf.yaml
pitwall run --config conf.yaml -- true
