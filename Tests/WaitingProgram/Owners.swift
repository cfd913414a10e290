import Dispatch
import Foundation
import Synchronization

/// Waits for its queue when it goes, as SQLite's connections do, to be closed there.
final class Connection: Sendable {
  let queue = DispatchQueue(label: "connection")
  deinit { queue.sync {} }
}

/// Lends one queue, and closes once no thread uses it: after GRDB's pool of readers.
final class Pool: Sendable {
  private let gate = DispatchQueue(label: "gate", attributes: .concurrent), members = DispatchGroup()
  private let reader = DispatchQueue(label: "reader"), content = Mutex()
  private let hasRead = Atomic(false)

  /// - Parameters:
  ///   - isGated: the group is entered behind the gate, so that who closes it keeps others out.
  ///   - leaves: the user leaves it by itself, when it has done with the content. Otherwise another thread does, and
  ///     this run is a lucky one: the user has done with the content first, by nothing that the program waits for.
  func use(isGated: Bool = true, leaves: Bool = true) {
    let members = members, content = content
    if isGated { gate.sync { members.enter() } } else { members.enter() }
    reader.async { [self] in
      content.hold {}
      if leaves { members.leave() } else { hasRead.store(true, ordering: .releasing) }
    }
    guard !leaves else { return }
    while !hasRead.load(ordering: .acquiring) { usleep(200) }
    DispatchQueue.global().async { members.leave() }
  }

  func close() {
    gate.sync(flags: .barrier) {
      members.wait()
      content.hold { reader.sync {} }
    }
  }
}
