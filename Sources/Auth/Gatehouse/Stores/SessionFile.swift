package import GatehouseBase
import GatehouseCrypto
import GatehouseSystem

/// A session in a file. Every method blocks its thread.
///
/// Beside the file `NAME` there may be `NAME.lock` and `NAME.inuse` (both empty, kept), `NAME.tmp-…` (left by a writer
/// that was killed; the next one removes it) and `NAME.damaged-1`, `-2`, … (kept for inspection: the newest three,
/// until the session is erased, because they may hold tokens that are still valid).
package struct SessionFile: Sendable {
  let path: String
  /// The maximum time to wait for another writer, in seconds.
  let patience: Double
  /// The encryption of the file; `nil` if it is in plain.
  let encryption: StoreEncryption?
  /// Whether the sessions of several users are kept.
  let keepsUsers: Bool

  package init(
    path: String, patience: Double = 3, encryption: StoreEncryption? = nil, keepsUsers: Bool = false
  ) {
    self.path = path
    self.encryption = encryption
    self.patience = patience
    self.keepsUsers = keepsUsers
  }

  package func load() throws(AuthError) -> StoredSession? { try sessions().current }

  /// Everything that is stored.
  package func sessions() throws(AuthError) -> SessionShelf {
    guard let folder = try openFolder(making: false) else { return SessionShelf() }
    return try read(in: folder)
  }

  package func write(_ session: StoredSession?, if condition: StoreCondition) throws(AuthError) -> StoreOutcome {
    let holdsOfNothing = condition.holds(of: nil)
    guard let folder = try openFolder(making: session != nil && holdsOfNothing) else {
      return holdsOfNothing ? .written : .conflict(nil)
    }
    return try change(in: folder, replacingDamaged: condition == .always) { $0.write(session, if: condition) }
  }

  /// Replaces everything, if the file holds exactly `known`.
  package func replace(_ known: SessionShelf, by new: SessionShelf) throws(AuthError) -> Bool {
    guard let folder = try openFolder(making: known == SessionShelf() && new != known) else {
      return known == SessionShelf()
    }
    let outcome = try change(in: folder, replacingDamaged: false) { stored in
      guard stored == known else { return .conflict(stored.current) }
      stored = new
      return .written
    }
    return outcome == .written
  }

  /// Reads, changes and replaces the file under its lock. A conflict changes nothing.
  private func change(
    in folder: borrowing OpenFolder, replacingDamaged: Bool, _ change: (inout SessionShelf) -> StoreOutcome
  ) throws(AuthError) -> StoreOutcome {
    let lock = try lock(in: folder)
    defer { lock.unlock() }

    var shelf: SessionShelf
    let isDamaged: Bool
    do throws(AuthError) {
      shelf = try read(in: folder)
      isDamaged = shelf.isDamaged
    } catch {
      guard error.code == .storeDamaged, replacingDamaged else { throw error }
      shelf = SessionShelf()
      isDamaged = true
    }
    let outcome = change(&shelf)
    guard outcome == .written else { return outcome }
    let bytes = try encode(shelf)
    do throws(SystemError) {
      try folder.removeStrays(of: name)
      try commit(
        bytes, erasing: shelf.current == nil, in: folder, keepingAside: isDamaged && !shelf.isDamaged)
    } catch {
      throw failed(.storeFailed, error)
    }
    return .written
  }

  private func commit(
    _ bytes: [UInt8]?, erasing: Bool, in folder: borrowing OpenFolder, keepingAside isDamaged: Bool
  ) throws(SystemError) {
    if let bytes {
      if erasing, !isDamaged { _ = try removeKeptAside(in: folder) }
      try folder.replace(name, with: bytes) { () throws(SystemError) in
        if isDamaged { try keepAside(in: folder) }
      }
      return
    }
    // This comes first: if it fails, the session is still stored, and the erasure can be retried.
    _ = try removeKeptAside(in: folder)
    try ifThere { () throws(SystemError) in try folder.remove(name) }
    try folder.sync()
  }

  /// Reads what is stored in a folder; an empty shelf if there is no file.
  private func read(in folder: borrowing OpenFolder) throws(AuthError) -> SessionShelf {
    let opened = try attempt(.storeUnreadable) { () throws(SystemError) in
      try ifThere { () throws(SystemError) in try folder.openOwn(name, .reading, .secret) }
    }
    guard let file = opened else { return SessionShelf() }
    let bytes = try attempt(.storeUnreadable) { () throws(SystemError) in
      try file.readAll(limit: SealedDocument.limit)
    }
    guard let bytes else { throw damaged }
    return try decode(bytes)
  }
}

// MARK: The content

extension SessionFile {
  private func decode(_ bytes: [UInt8], isSealed: Bool = false) throws(AuthError) -> SessionShelf {
    do throws(SessionDocument.Fault) { return try SessionDocument.decode(bytes) } catch {
      switch error {
      case .sealed where !isSealed: return try decode(try unseal(bytes), isSealed: true)
      case .tooNew(let format):
        throw AuthError(
          .storeTooNew,
          "\(path) has format \(format) and this version reads up to \(SealedDocument.format); "
            + "update this program, or use another file")
      case .damaged, .sealed, .notEncodable: throw damaged
      }
    }
  }

  private func encode(_ shelf: SessionShelf) throws(AuthError) -> [UInt8]? {
    if shelf == SessionShelf() { return nil }
    let bytes: [UInt8]
    do throws(SessionDocument.Fault) { bytes = try SessionDocument.encode(shelf) } catch {
      let advice = shelf.others.isEmpty ? "" : "; it may help to forget some of the \(shelf.others.count) other users"
      throw AuthError(
        .storeFailed, "the session cannot be stored: it is too long, or one of its times is not a number\(advice)")
    }
    guard let encryption else { return bytes }
    do throws(AuthError) { return try encryption.seal(bytes).encoded } catch {
      throw AuthError(.storeFailed, "\(path) was not written: \(error.message)")
    }
  }

  /// Decrypts the file's content. A missing key, or another one, is never taken for damage: nothing is erased then.
  private func unseal(_ bytes: [UInt8]) throws(AuthError) -> [UInt8] {
    let document: SealedDocument
    do throws(SessionDocument.Fault) { document = try SealedDocument(bytes) } catch { throw damaged }
    guard let encryption else { throw locked(document.key, "this program was given no key") }
    do throws(AuthError) {
      if let opened = try encryption.open(document) { return opened }
    } catch {
      if error.code == .decryptionFailed { throw damaged }
      throw AuthError(.storeUnreadable, "\(path) cannot be decrypted: \(error.message)")
    }
    let given = encryption.keys.map(\.id).joined(separator: ", ")
    throw locked(document.key, "this program was given another one (\(given))")
  }

  private func locked(_ key: String, _ given: String) -> AuthError {
    AuthError(
      .storeUnreadable,
      "\(path) is encrypted under the key \(key), and \(given); the file was left alone. Name its key, as a former "
        + "key if there is a new one. If the key is lost, remove the file and sign in again")
  }

  /// Whether the file at a path has been written by a store with a key. A file that cannot be read counts as one that
  /// has not.
  package static func isSealed(at path: String) -> Bool {
    guard let start = try? OpenFile(path).read(at: 0, count: SealedDocument.beginning.count) else { return false }
    return start == SealedDocument.beginning
  }
}

// MARK: Damaged files

extension SessionFile {
  /// The number of damaged files that are kept.
  private static let keptAside = 3

  /// Removes the damaged files that were kept aside, and the session file itself if it is damaged. A valid session
  /// stays.
  ///
  /// - Returns: The number of files that were removed.
  package func eraseDamaged() throws(AuthError) -> Int {
    guard let folder = try openFolder(making: false) else { return 0 }
    // The first check runs without the lock, which would create a file in a folder that may have nothing to erase.
    let isThere = try isDamaged(in: folder)
    let older = try attempt(.storeUnreadable) { () throws(SystemError) in try numbersKeptAside(in: folder) }
    guard isThere || !older.isEmpty else { return 0 }
    let lock = try lock(in: folder)
    defer { lock.unlock() }
    let isDamaged = try isDamaged(in: folder)
    return try attempt(.storeFailed) { () throws(SystemError) in
      try folder.removeStrays(of: name)
      let count = try removeKeptAside(in: folder)
      if isDamaged { try folder.remove(name) }
      try folder.sync()
      return count + (isDamaged ? 1 : 0)
    }
  }

  private func isDamaged(in folder: borrowing OpenFolder) throws(AuthError) -> Bool {
    do throws(AuthError) {
      return try read(in: folder).isDamaged
    } catch {
      guard error.code == .storeDamaged else { throw error }
      return true
    }
  }

  /// Links the damaged file to a second name, so that the first name always has a file, and removes the oldest copies.
  private func keepAside(in folder: borrowing OpenFolder) throws(SystemError) {
    let numbers = try numbersKeptAside(in: folder)
    try folder.link(name, to: nameKeptAside((numbers.last ?? 0) + 1))
    for number in numbers.dropLast(Self.keptAside - 1) { try folder.remove(nameKeptAside(number)) }
  }

  /// - Returns: the number of files that were removed.
  private func removeKeptAside(in folder: borrowing OpenFolder) throws(SystemError) -> Int {
    let numbers = try numbersKeptAside(in: folder)
    for number in numbers { try folder.remove(nameKeptAside(number)) }
    return numbers.count
  }

  private func nameKeptAside(_ number: Int) -> String { "\(name).damaged-\(number)" }

  /// The numbers of the files that are kept aside, in ascending order.
  private func numbersKeptAside(in folder: borrowing OpenFolder) throws(SystemError) -> [Int] {
    let prefix = "\(name).damaged-"
    return try folder.names().compactMap { file in
      guard file.hasPrefix(prefix), let number = Int32(file.dropFirst(prefix.count)), number > 0,
        number < .max, file == nameKeptAside(Int(number))
      else { return nil }
      return Int(number)
    }.sorted()
  }
}

// MARK: The folder and the lock

extension SessionFile {
  var name: String { FileLocation(path).name }

  /// The open folder; `nil` if it does not exist and is not to be created.
  func openFolder(making: Bool) throws(AuthError) -> OpenFolder? {
    let place = FileLocation(path).folder
    guard !name.isEmpty, !path.utf8.contains(0), !path.utf8.starts(with: "~/".utf8) else {
      throw AuthError(.invalidArgument, "'\(path)' is not the path of a file; write out ~")
    }
    let opened = try attempt(.storeUnreadable) { () throws(SystemError) in
      try ifThere { () throws(SystemError) in try OpenFolder.own(place) }
    }
    if let folder = opened { return folder }
    guard making else { return nil }
    return try attempt(.storeFailed) { () throws(SystemError) in
      try OpenFolder.make(place)
      return try OpenFolder.own(place)
    }
  }

  /// Locks out other writers of this file, in this process and others. The lock is only held during file operations.
  private func lock(in folder: borrowing OpenFolder) throws(AuthError) -> OpenFile {
    let file = try attempt(.storeFailed) { () throws(SystemError) in
      try folder.openOwn("\(name).lock", .readingOrMaking, .unwritable)
    }
    guard try attempt(.storeFailed, { () throws(SystemError) in try file.lock(patience: patience) }) else {
      throw AuthError(
        .storeFailed,
        "\(path) was not written: \(file.lockHolder()) has held \(file.path) for \(patience) s; end it, or try again")
    }
    return file
  }
}

// MARK: Refusals

extension SessionFile {
  private var damaged: AuthError {
    let owner = encryption.map { " for \($0.name.printable())" } ?? ""
    return AuthError(
      .storeDamaged,
      "\(path) is not what was written\(owner), and was left alone; sign in again, which keeps it aside, or erase it")
  }

  func failed(_ code: AuthError.Code, _ error: SystemError) -> AuthError {
    guard !error.isUnsafe else { return AuthError(.storeUnsafe, error.description) }
    let what = code == .storeFailed ? "could not be written" : "cannot be read"
    return AuthError(code, "\(path) \(what): \(error)")
  }

  func attempt<T: ~Copyable>(
    _ code: AuthError.Code, _ body: () throws(SystemError) -> T
  ) throws(AuthError) -> T {
    do throws(SystemError) { return try body() } catch { throw failed(code, error) }
  }
}

extension SessionShelf {
  /// Whether a session has a generation that cannot be incremented. The engine treats it as damaged.
  fileprivate var isDamaged: Bool { all.contains { $0.generation > UInt64(Int64.max) } }
}
