import Foundation

setvbuf(stdout, nil, _IOLBF, 0)
let kinds = [
  "cycle": cycles, "look-alike": lookAlikes, "hang": hangs, "held-up": heldUp, "idle": idle, "slow": slow,
]
guard CommandLine.arguments.count == 3, let scenes = kinds[CommandLine.arguments[1]] else {
  print("usage: waiting-program \(kinds.keys.sorted().joined(separator: "|")) NAME|list")
  exit(2)
}
if CommandLine.arguments[2] == "list" {
  for scene in scenes { print(scene.name) }
  exit(0)
}
guard let scene = scenes.first(where: { $0.name == CommandLine.arguments[2] }) else { exit(2) }
scene.play()
print("played")
