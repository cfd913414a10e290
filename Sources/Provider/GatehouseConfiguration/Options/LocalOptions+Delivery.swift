import GatehouseBase
import GatehouseLocal

extension LocalOptions {
  mutating func readDelivery(_ values: SettingValues) throws(AuthError) {
    let by = values.text("delivery.by")
    func only(_ keys: [String]) throws(AuthError) {
      let others = ["delivery.folder", "delivery.program", "delivery.from"].filter { !keys.contains($0) }
      try values.refuse(others, "delivery.by is \(by ?? "not set")")
    }
    let sender = values.text("delivery.from")
    switch by {
    case "file":
      try only(["delivery.folder", "delivery.from"])
      let folder = try values.required("delivery.folder", by: "delivery.by", "delivery.by file")
      delivery = FileDelivery(folder: folder, from: sender ?? "noreply@localhost", clocks: clocks)
    case "sendmail":
      try only(["delivery.program", "delivery.from"])
      let sender = try values.required("delivery.from", by: "delivery.by", "delivery.by sendmail")
      delivery = SendmailDelivery(
        program: values.text("delivery.program") ?? "/usr/sbin/sendmail", from: sender, clocks: clocks)
    case "log":
      try only([])
      delivery = LogDelivery()
    case "none":
      try only([])
      delivery = nil
    default: try only([])
    }
  }

  mutating func readTextDelivery(_ values: SettingValues) throws(AuthError) {
    let by = values.text("textDelivery.by")
    guard by == "file" else {
      try values.refuse(["textDelivery.folder"], "textDelivery.by is \(by ?? "not set")")
      if by == "log" { textDelivery = LogDelivery() }
      if by == "none" { textDelivery = nil }
      return
    }
    textDelivery = FileDelivery(
      folder: try values.required("textDelivery.folder", by: "textDelivery.by", "textDelivery.by file"), clocks: clocks)
  }
}
