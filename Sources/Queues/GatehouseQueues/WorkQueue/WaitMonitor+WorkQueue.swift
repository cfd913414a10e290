extension WaitMonitor {
  /// Runs an operation on the work queue that was begun in a test.
  ///
  /// The closure names its isolation: without it `withValue` would leave the work queue and come back later.
  @WorkQueue
  static func belonging(to scope: UInt64, _ operation: @WorkQueue () async -> Void) async {
    if scope == 0 { return await operation() }
    await $scope.withValue(scope) { @WorkQueue in await operation() }
  }
}
