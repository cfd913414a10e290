import GatehouseBase

/// One object of a settings file. Its errors name the file, the line, the column and the member.
struct SettingsReader {
  private let object: PlacedObject
  private let file: String
  /// The names of the objects that this one is in.
  private let path: [String]
  /// The position of this object's name; `nil` for the file's own object.
  private let place: TextPlace?

  init(_ bytes: [UInt8], _ file: String) throws(AuthError) {
    do throws(AuthError) { object = try PlacedObject(parsing: bytes, limits: Self.limits) } catch {
      throw AuthError(error.code, "\(file.printable()): \(error.message)")
    }
    (self.file, path, place) = (file, [], nil)
  }

  private init(_ object: PlacedObject, _ member: PlacedObject.Member, in parent: SettingsReader) {
    (self.object, file, path, place) = (object, parent.file, parent.path + [member.name], member.place)
  }

  /// An account is a member of an object, and the settings may have many.
  private static let limits = JSONLimits(members: 4096)

  /// The names of the members.
  var names: [String] { object.members.map(\.name) }

  /// Refuses members with other names.
  func require(_ known: [String]) throws(AuthError) {
    for member in object.members where !known.contains(where: { $0.isExactly(member.name) }) {
      let advice = member.name.nearest(of: known).map { "did you mean \($0)?" }
      throw mistake(member, "is no setting; \(advice ?? "there are \(known.joined(separator: ", "))")")
    }
  }

  /// Returns the error for this object.
  func mistake(_ words: String) -> AuthError { mistake(path, at: place, words) }

  private func mistake(_ member: PlacedObject.Member, _ words: String) -> AuthError {
    mistake(path + [member.name], at: member.place, words)
  }

  private func mistake(_ path: [String], at place: TextPlace?, _ words: String) -> AuthError {
    let position = place.map { ", \($0)" } ?? ""
    let name = path.isEmpty ? "the object" : path.joined(separator: ".").printable(upTo: 128)
    return AuthError(.invalidArgument, "\(file.printable())\(position): \(name) \(words)")
  }

  private func member(_ name: String) -> PlacedObject.Member? { object.members.first { $0.name.isExactly(name) } }

  private func plain(_ name: String) -> (member: PlacedObject.Member, json: JSONValue)? {
    guard let member = member(name) else { return nil }
    if case .plain(let json) = member.value { return (member, json) }
    return (member, .null)
  }

  func number(_ name: String, in range: ClosedRange<Int>) throws(AuthError) -> Int? {
    guard let (member, json) = plain(name) else { return nil }
    guard let number = json.integer.flatMap({ Int(exactly: $0) }), range.contains(number) else {
      throw mistake(member, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func flag(_ name: String) throws(AuthError) -> Bool? {
    guard let (member, json) = plain(name) else { return nil }
    guard let flag = json.bool else { throw mistake(member, "must be true or false") }
    return flag
  }

  /// The accounts of a rule: a list of names, which may be empty, or `"*"` for all.
  func accounts(_ name: String, check: (String) throws(AuthError) -> Void) throws(AuthError) -> ClientAccounts? {
    guard let (member, json) = plain(name) else { return nil }
    if json.string?.isExactly("*") == true { return .all }
    guard let names = json.array?.compactMap(\.string), names.count == json.array?.count else {
      throw mistake(member, "must be a list of accounts' names, or \"*\" for all accounts")
    }
    for name in names {
      do throws(AuthError) { try check(name) } catch {
        let advice = name.isExactly("*") ? "write \"\(member.name)\": \"*\" for all accounts" : error.message
        throw mistake(member, "has \(name.printable(upTo: 64)), which cannot be an account; \(advice)")
      }
    }
    return .named(names)
  }

  func text(_ name: String) throws(AuthError) -> String? {
    guard let (member, json) = plain(name) else { return nil }
    guard let text = json.string, !text.isEmpty, !text.utf8.contains(0) else { throw mistake(member, "must be a text") }
    return text
  }

  func texts(_ name: String) throws(AuthError) -> [String]? {
    guard let (member, json) = plain(name) else { return nil }
    let texts = json.array?.compactMap(\.string).filter { !$0.isEmpty }
    guard let texts, texts.count == json.array?.count, !texts.isEmpty else {
      throw mistake(member, "must be a list of texts")
    }
    return texts
  }

  /// An absolute path: the daemon's working folder is the service manager's choice.
  func path(_ name: String) throws(AuthError) -> String? {
    guard let text = try text(name) else { return nil }
    guard text.hasPrefix("/") else {
      throw member(name).map { mistake($0, "must be a path that begins with /") } ?? mistake("is no path")
    }
    return text
  }

  /// One absolute path, or a list of them; empty if the member is missing.
  func paths(_ name: String) throws(AuthError) -> [String] {
    guard let (member, json) = plain(name) else { return [] }
    let given = json.array ?? [json]
    let paths = given.compactMap(\.string).filter { $0.hasPrefix("/") && !$0.utf8.contains(0) }
    guard !paths.isEmpty, paths.count == given.count else {
      throw mistake(member, "must be a path that begins with /, or a list of such paths")
    }
    return paths
  }

  /// The members of an object, each of which is an object.
  func objects(_ name: String) throws(AuthError) -> [(name: String, reader: SettingsReader)] {
    guard let member = member(name) else { return [] }
    guard case .object(let object) = member.value else { throw mistake(member, "must be an object") }
    let parent = SettingsReader(object, member, in: self)
    var readers: [(String, SettingsReader)] = []
    for inner in object.members {
      guard case .object(let value) = inner.value else { throw parent.mistake(inner, "must be an object") }
      readers.append((inner.name, SettingsReader(value, inner, in: parent)))
    }
    return readers
  }
}
