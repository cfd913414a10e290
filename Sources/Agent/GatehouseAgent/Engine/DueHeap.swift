import GatehouseQueues

/// Accounts by the moment at which they are due: a binary heap on the boot clock.
///
/// An account that is scheduled again leaves its former entry behind. That entry has an old version and is skipped, and
/// when such entries make up half of the heap, all of them are removed.
@WorkQueue
struct DueHeap {
  private struct Entry {
    /// The time on the boot clock, in seconds.
    let moment: Double
    let account: Account
    let version: UInt32

    @WorkQueue var isValid: Bool { account.version == version && !account.isRemoved }
  }

  private var entries: [Entry] = []
  private var limit = 64

  nonisolated init() {}

  /// The moment of the account that is due first.
  var first: Double? {
    mutating get {
      while let top = entries.first {
        if top.isValid { return top.moment }
        removeTop()
      }
      return nil
    }
  }

  /// Schedules an account; its former entry becomes invalid. A moment that is not a number is due at once.
  mutating func insert(_ account: Account, at moment: Double) {
    let moment = moment.isNaN ? -.infinity : moment
    account.version &+= 1
    account.due = moment
    if entries.count >= limit { removeInvalid() }
    entries.append(Entry(moment: moment, account: account, version: account.version))
    rise(entries.count - 1)
  }

  /// Removes and returns the account that is due first, if its moment has come.
  mutating func popReached(_ now: Double) -> Account? {
    guard let first, first <= now else { return nil }
    let account = entries[0].account
    removeTop()
    remove(account)
    return account
  }

  /// Makes an account due at no moment.
  func remove(_ account: Account) {
    account.version &+= 1
    account.due = nil
  }

  private mutating func removeInvalid() {
    entries = entries.filter(\.isValid).sorted { $0.moment < $1.moment }
    limit = max(64, entries.count * 2)
  }

  private mutating func removeTop() {
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    sink(0)
  }

  private mutating func rise(_ index: Int) {
    var index = index
    while index > 0, entries[index].moment < entries[(index - 1) / 2].moment {
      entries.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func sink(_ index: Int) {
    var index = index
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < entries.count {
        if entries[child].moment < entries[least].moment { least = child }
      }
      if least == index { return }
      entries.swapAt(index, least)
      index = least
    }
  }
}
