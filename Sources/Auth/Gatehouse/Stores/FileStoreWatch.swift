import GatehouseBase
import GatehouseQueues
import GatehouseSystem

/// Reports changes of a session's file.
private final class FileStoreWatch: StoreWatch {
  private let watch: TakeOnce<NameWatch>

  init(_ watch: NameWatch) { self.watch = TakeOnce(watch) }

  func end() { watch.take()?.end() }
}

extension SessionFile {
  /// Watches the file's name. Blocks its thread.
  func watch(_ changed: @escaping @Sendable () -> Void) throws(AuthError) -> any StoreWatch {
    let location = FileLocation(path)
    return FileStoreWatch(NameWatch(location.name, in: location.folder, changed))
  }
}
