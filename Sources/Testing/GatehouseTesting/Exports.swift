// The clocks that a test turns come with the kit, and nothing else of the queues.
@_exported public import class GatehouseQueues.ManualClocks
