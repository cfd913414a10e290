/// Classes of resources that are of one kind to the program, which may keep an order among them: accounts are made when
/// they are loaded and when a user signs up, and are always locked in the order of their numbers.
///
/// - Queues with one label are a family.
/// - Other resources are a family if they are made by one call, in a function that does not only wrap a lock, however
///   that function was called. The call of a wrapper says nothing: all locks of a program may be made by it.
/// - A function whose callers are constructors is a wrapper, too: the two locks of one object, or the locks of a cache
///   and of a store, are different kinds.
package struct Families: Sendable {
  /// One call on the way to the place that makes a resource.
  package struct Call: Sendable {
    package let frame: WaitReport.Frame
    /// The return address. A call that was inlined shares it with its caller.
    package let address: UInt
    package let isInlined: Bool

    package init(_ frame: WaitReport.Frame, address: UInt, isInlined: Bool = false) {
      self.frame = frame
      self.address = address
      self.isInlined = isInlined
    }

    fileprivate var key: Key {
      isInlined
        ? Key(function: frame.function, line: frame.line ?? 0, address: 0)
        : Key(function: "", line: 0, address: address)
    }
  }

  /// One class.
  package struct Member: Sendable {
    fileprivate let classID: UInt32
    fileprivate let name: Name
    fileprivate let calls: [Call]

    /// - Parameter calls: the calls that made its resources, innermost first.
    package init(_ classID: UInt32, _ kind: RecordedClass.Kind, label: String, calls: [Call]) {
      self.classID = classID
      name = Name(kind: kind, label: label)
      self.calls = Array(calls.drop { $0.frame.isLockWrapper })
    }
  }

  fileprivate struct Name: Hashable {
    let kind: RecordedClass.Kind
    let label: String
  }

  fileprivate struct Key: Hashable {
    let function: String
    let line: Int
    let address: UInt
  }

  /// The families with more than one member.
  package private(set) var all: [[UInt32]] = []

  package init(_ members: [Member]) {
    for (name, alike) in Dictionary(grouping: members, by: \.name) {
      let places = Self.grouped(alike, at: 0)
      if !name.label.isEmpty, places.count > 1 {
        add(alike)
      } else {
        for (key, place) in places {
          if key != nil { split(place, at: 1) } else if !name.label.isEmpty { add(place) }
        }
      }
    }
    all.sort { $0.lexicographicallyPrecedes($1) }
  }

  private mutating func add(_ members: [Member]) {
    if members.count > 1 { all.append(members.map(\.classID).sorted()) }
  }

  /// Adds the families among classes that were made by the same call, which the same calls led to, as many as `depth`.
  private mutating func split(_ members: [Member], at depth: Int) {
    let ways = Self.grouped(members, at: depth)
    let constructors = ways.filter { _, group in group.first?.calls[depth...].first?.frame.isConstructor == true }
    switch (ways.count, constructors.count) {
    case (1, _) where ways[nil] == nil: split(members, at: depth + 1)
    case (2..., 2...): for group in ways.values { split(group, at: depth + 1) }
    default: add(members)
    }
  }

  private static func grouped(_ members: [Member], at depth: Int) -> [Key?: [Member]] {
    Dictionary(grouping: members) { depth < $0.calls.count ? $0.calls[depth].key : nil }
  }
}

extension WaitReport.Frame {
  private static let locks: Set = ["lock", "locks", "locked", "mutex", "rwlock", "spinlock", "semaphore", "monitor"]
  private static let makers: Set = ["init", "new", "make", "create", "alloc"]

  /// Whether the function makes a lock and is named after one, such as `Lock.init(_:)` or `mutex_new`.
  package var isLockWrapper: Bool {
    isConstructor && !Self.locks.isDisjoint(with: names.flatMap(Self.words))
  }

  /// Whether the function makes an object, to judge by its name: `Store.init()`, `Store::Store()`, `store_new`.
  var isConstructor: Bool {
    if function.hasPrefix("variable initialization expression of ") { return true }
    let names = names
    guard let last = names.last else { return false }
    if names.count > 1, last == names[names.count - 2] { return true }
    let words = Self.words(of: last)
    return [words.first, words.last].contains { $0.map(Self.makers.contains) ?? false }
  }

  /// The names of the function and the types around it, without parameters.
  private var names: [Substring] {
    var depth = 0, name = ""
    // The function comes last: `closure #1 in Store.init()`, `static Store.make()`.
    for letter in function {
      if letter == "(" && depth == 0 { break }
      if letter == "<" { depth += 1 }
      if depth == 0 { name.append(letter) }
      if letter == ">" && depth > 0 { depth -= 1 }
    }
    let own = name.split(separator: " ").last ?? ""
    return own.split { $0 == "." || $0 == ":" }
  }

  /// The words of a name, in lower case: `NIOLock` and `nio_lock` are `nio` and `lock`.
  private static func words(of name: Substring) -> [String] {
    var words: [String] = [], word = ""
    func ends(at index: Substring.Index) -> Bool {
      guard name[index].isUppercase, index > name.startIndex else { return false }
      let next = name.index(after: index)
      return name[name.index(before: index)].isLowercase || next < name.endIndex && name[next].isLowercase
    }
    for index in name.indices {
      if !name[index].isLetter || ends(at: index) {
        words.append(word)
        word = ""
      }
      if name[index].isLetter { word += name[index].lowercased() }
    }
    words.append(word)
    return words.filter { !$0.isEmpty }
  }
}
