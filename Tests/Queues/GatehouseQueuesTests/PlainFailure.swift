import GatehouseQueues

/// The failures of an operation that throws nothing of its own.
typealias PlainFailure = QueueFailure<Never>
