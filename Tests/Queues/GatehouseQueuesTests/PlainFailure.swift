import GatehouseQueues

/// The failure of an operation that throws no error itself.
typealias PlainFailure = QueueFailure<Never>
