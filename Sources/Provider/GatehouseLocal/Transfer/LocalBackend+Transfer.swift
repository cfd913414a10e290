import GatehouseBase
import GatehouseQueues

// Imports and exports of whole files. They use a connection of their own, and a thread of their own.
extension LocalBackend {
  /// Called with the progress of an import or an export. A closure that is isolated to an actor, usually the main
  /// actor, is called on that actor; any other closure on the callback queue. It is released there.
  public typealias ProgressHandler = @isolated(any) @Sendable (UserFileProgress) -> Void

  /// Imports the accounts of a file that `firebase auth:export`, Firebase's emulator or `exportUsers(to:)` has written.
  ///
  /// The file is read piece by piece, so the memory does not grow with it. Accounts are added in batches, each of which
  /// is on the disk, and in the audit log, before the next one begins. If the program ends meanwhile, import the file
  /// again: accounts that are there already are recognized, and stay as they are. A row that cannot be imported is
  /// refused, and costs no other.
  ///
  /// - Parameters:
  ///   - file: the path of the file.
  ///   - options: the file's format, and the parameters of its password hashes.
  ///   - progress: called after each batch.
  /// - Returns: The numbers of accounts that were imported, were there already, and were refused.
  /// - Throws: `.jsonMalformed` for a JSON file without an array `users`; `.storeUnreadable` for a file that cannot be
  ///   read; `.invalidArgument` if the file has password hashes and the options have no parameters for them, …
  @discardableResult
  public func importUsers(
    from file: String, _ options: UserFileImportOptions = UserFileImportOptions(), progress: ProgressHandler? = nil
  ) async throws -> UserFileImportResult {
    let reports = reports(to: progress)
    return try await transfer(.administrator("importUsers")) { (provider) throws(AuthError) in
      defer { reports?.end() }
      return try BulkImport(file, options, by: provider).run(file) { _ in
      } progress: {
        reports?.report($0)
      }
    }
  }

  /// Imports the accounts of a file.
  public func importUsers(
    from file: String, _ options: UserFileImportOptions = UserFileImportOptions(), progress: ProgressHandler? = nil,
    @_inheritActorContext completion: @escaping Completion<UserFileImportResult>
  ) {
    let reports = reports(to: progress)
    transfer(.administrator("importUsers"), completion: completion) { (provider) throws(AuthError) in
      defer { reports?.end() }
      return try BulkImport(file, options, by: provider).run(file) { _ in
      } progress: {
        reports?.report($0)
      }
    }
  }

  /// Imports as the public form does. The closures are called on the thread that imports.
  package func importUsers(
    from file: String, _ options: UserFileImportOptions, refused: @escaping @Sendable (UserFileRefusal) -> Void,
    progress: @escaping @Sendable (UserFileProgress) -> Void
  ) async throws(AuthError) -> UserFileImportResult {
    try await transfer(.administrator("importUsers")) { (provider) throws(AuthError) in
      try BulkImport(file, options, by: provider).run(file, refused: refused, progress: progress)
    }
  }

  /// Exports the accounts to a file that `firebase auth:import` and `importUsers(from:)` read.
  ///
  /// The accounts are those of one moment; others can read and write meanwhile. A file has the password hashes of one
  /// set of parameters, which are written beside it, to `FILE.hash-config`. Accounts whose passwords have other
  /// parameters are in files of their own: `users.2.json` beside `users.json`. All files have mode 0600, and are
  /// complete and on the disk when this returns.
  ///
  /// - Parameters:
  ///   - file: the path of the first file. Its folder must exist.
  ///   - options: the format, the tenant, and whether existing files are replaced.
  ///   - progress: called from time to time.
  /// - Returns: The files, and the number of values that the format cannot hold.
  @discardableResult
  public func exportUsers(
    to file: String, _ options: UserFileExportOptions = UserFileExportOptions(), progress: ProgressHandler? = nil
  ) async throws -> UserFileExportResult {
    let reports = reports(to: progress)
    return try await transfer(.administrator("exportUsers")) { (provider) throws(AuthError) in
      defer { reports?.end() }
      return try BulkExport(file, options, by: provider).run { reports?.report($0) }
    }
  }

  /// Exports the accounts to a file.
  public func exportUsers(
    to file: String, _ options: UserFileExportOptions = UserFileExportOptions(), progress: ProgressHandler? = nil,
    @_inheritActorContext completion: @escaping Completion<UserFileExportResult>
  ) {
    let reports = reports(to: progress)
    transfer(.administrator("exportUsers"), completion: completion) { (provider) throws(AuthError) in
      defer { reports?.end() }
      return try BulkExport(file, options, by: provider).run { reports?.report($0) }
    }
  }

  /// Exports as the public form does. The closure is called on the thread that exports.
  package func exportUsers(
    to file: String, _ options: UserFileExportOptions, progress: @escaping @Sendable (UserFileProgress) -> Void
  ) async throws(AuthError) -> UserFileExportResult {
    try await transfer(.administrator("exportUsers")) { (provider) throws(AuthError) in
      try BulkExport(file, options, by: provider).run(progress: progress)
    }
  }
}

extension LocalBackend {
  /// The reports to a closure of the app; `nil` without one.
  private func reports(to handler: ProgressHandler?) -> ProgressReports? {
    handler.map { ProgressReports($0, on: callbackQueue) }
  }
}

/// Delivers the progress of bulk work to the app's closure.
struct ProgressReports: Sendable {
  private let callback: Callback<LocalBackend.ProgressHandler>

  init(_ handler: @escaping LocalBackend.ProgressHandler, on queue: CallbackQueue) {
    callback = Callback(handler, isolatedTo: handler.isolation, on: queue)
  }

  func report(_ progress: UserFileProgress) { callback.deliver { _, handler in await handler(progress) } }

  /// Releases the closure, after everything that was reported.
  func end() { callback.end() }
}
