extension WaitMonitor {
  /// Runs an operation that was begun in a test on the work queue.
  ///
  /// The closure names its isolation: otherwise `withValue` would leave the work queue and come back later.
  @WorkQueue
  static func belonging(to scope: UInt64, _ operation: @WorkQueue () async -> Void) async {
    if scope == 0 { return await operation() }
    await $scope.withValue(scope) { @WorkQueue in await operation() }
  }
}
