import FoundationEssentials

/// Everything in the zoo.
enum Catalogue {
  static let all: [Case] = cycles + rawCycles + selfWaits + hangs + lookalikes + rawLookalikes

  private static let cycles: [Case] = [
    .sharedState, .settingsLock, .switchingActors, .delegateOnMain, .silentToken, .tokenGroup, .waitingExecutor,
    .wrongQueue,
    .twoQueues, .threeQueues, .threeLocks, .lockAndQueue, .siblings, .readerAndLock, .readersInBothOrders, .writers,
    .groupOfWorkers, .answerUnderLock, .declaredAnswer, .transfers, .threeParties, .semaphoreLocks, .mutexes,
    .blockingActors,
    .publishedConnection, .keptConnection, .mainAndElsewhere, .membersOfOneGroup, .groupInPhases, .groupUnderLock,
    .answerNeedsLock, .readersAsGate, .oneGatedEdge, .fortyHeld, .numberedLabels, .longRing,
    .knotOfThirty, .lastOfAHundred, .onceWithoutTheGate, .sharedWrapper, .answersBothWays, .answersInARing,
    .answersByGroup,
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
    .privateConnection, .onMainOnly, .closingPool, .lockBeforeGroup, .answerBeforeLock, .barrierAsGate,
    .twoGatedEdges, .fortyReturned, .numberedTree, .twoTransactions, .orderedCrowd, .twoMakers, .oneLabelTwice,
    .blocksInTurn, .turnsOfTheirOwn, .blockForEachItem, .answersOneWay, .answersBesideOthers,
    .answersAndAsksBack,
  ]
  #if RAW
    private static let rawCycles: [Case] = [
      .joinUnderLock, .lazyGlobal, .zeroedLocks, .conditionUnderLock, .performUnderLock, .operationUnderLock,
      .writersFirst, .serialOperations, .cancelHandler, .itemUnderLock, .concurrentItemUnderLock,
      .answersOfOperations,
      .emplacedLocks, .assignedLocks,
    ]
    private static let rawLookalikes: [Case] = [
      .joinUnderAnother, .lazyUnderAnother, .zeroedInOrder, .conditionBeforeLock, .performUnderAnother,
      .operationUnderAnother, .readersFirst, .operationsAsGate, .itemUnderAnother, .concurrentItemUnderAnother,
      .emplacedAnew, .assignedAnew,
    ]
  #else
    private static let rawCycles: [Case] = []
    private static let rawLookalikes: [Case] = []
  #endif

  /// For scripts: fields between tabs, `-` for what is not there.
  static var lines: String {
    all.map {
      [
        $0.id, $0.kind.rawValue, $0.unseen?.rawValue ?? "-", $0.forms.map(\.rawValue).joined(separator: " "),
        $0.isRawOnly ? "raw" : "both", $0.origin ?? "-", $0.title,
      ]
      .joined(separator: "\t")
    }
    .joined(separator: "\n")
  }

  /// For programs.
  static var json: String {
    struct Entry: Encodable {
      let id, kind: String
      let forms: [String]
      let isRawOnly: Bool
      let through, origin: String?
      let title: String
    }
    let entries = all.map {
      Entry(
        id: $0.id, kind: $0.kind.rawValue, forms: $0.forms.map(\.rawValue), isRawOnly: $0.isRawOnly,
        through: $0.unseen?.rawValue, origin: $0.origin, title: $0.title)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(entries)).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
  }
}
