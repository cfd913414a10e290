// The clocks, the queues and the wait monitor that tests use come with the kit.
@_exported public import GatehouseQueues
