import FoundationEssentials

/// Everything in the zoo.
enum Catalogue {
  static let all: [Case] = cycles + selfWaits + hangs + lookalikes

  private static let cycles: [Case] = [
    .sharedState, .settingsLock, .switchingActors, .delegateOnMain, .silentToken, .tokenGroup, .waitingExecutor,
    .wrongQueue,
    .twoQueues, .threeQueues, .threeLocks, .lockAndQueue, .siblings, .readerAndLock, .readersInBothOrders, .writers,
    .groupOfWorkers, .answerUnderLock, .declaredAnswer, .transfers, .threeParties, .semaphoreLocks, .mutexes,
    .blockingActors,
  ]
  private static let selfWaits: [Case] = [
    .accessGroup, .lastReference, .feedPush, .describedQueue, .child, .readerWhoWrites, .lockTwice,
  ]
  private static let hangs: [Case] = [
    .poolInSync, .poolAtBarrier, .poolInRequests, .freshToken, .storageCallback, .undrainedCallback, .undrainedSync,
  ]
  private static let lookalikes: [Case] = [
    .oneOrder, .treeOfOneLabel, .handBack, .handOverHand, .recursive, .inPlace, .completion, .semaphoreAsLock,
    .semaphoreAsWidth, .pingPong, .boundedBuffer, .readers, .tryInstead, .groupFromOutside, .ordered, .hierarchy,
    .retargeted, .toMain, .outsideTheLock, .asyncUnderLock, .gate, .onOneQueue, .patience,
  ]

  /// For scripts: fields between tabs, `-` for what is not there.
  static var lines: String {
    all.map {
      [$0.id, $0.kind.rawValue, $0.unseen?.rawValue ?? "-", $0.origin ?? "-", $0.title].joined(separator: "\t")
    }
    .joined(separator: "\n")
  }

  /// For programs.
  static var json: String {
    struct Entry: Encodable {
      let id, kind: String
      let through, origin: String?
      let title: String
    }
    let entries = all.map {
      Entry(id: $0.id, kind: $0.kind.rawValue, through: $0.unseen?.rawValue, origin: $0.origin, title: $0.title)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(entries)).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
  }
}
