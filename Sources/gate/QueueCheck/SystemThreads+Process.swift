import GatehouseSystem
import GatehouseWaits

extension SystemThreads {
  /// The present threads of a process; `nil` if it has ended, or if its threads cannot be listed.
  init?(of process: Int32, main: UInt32) {
    let folder = "/proc/\(process)"
    self.init(
      main: main,
      ProcessFiles(
        text: { name in
          guard let bytes = try? OpenFile("\(folder)/\(name)").readAll(limit: 64 << 20) else { return nil }
          return String(decoding: bytes, as: UTF8.self)
        },
        names: { name in try? OpenFolder("\(folder)/\(name)").names() }))
  }
}
