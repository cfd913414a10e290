import GatehouseSchedules

let report = Schedules.explore(20) { context in
  let count = Task { 1 }
  let sum = await count.value + 1
  await context.settle()
  context.check(sum == 2, "one and one are two")
}
print("GatehouseSchedules: \(report)")
precondition(report.failure == nil)
