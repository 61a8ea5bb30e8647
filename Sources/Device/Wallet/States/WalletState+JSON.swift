import Core
import Wire

extension WalletState {
    /// The state as it is stored.
    public var json: JSON {
        var json: JSON = ["apps": .array(apps.map(\.json))]
        if let csi { json["wcsi"] = .string(csi.text) }
        if let deviceID { json["deviceId"] = .string(deviceID) }
        if let introduction {
            var stored: JSON = [
                "scheme": .string(introduction.scheme.text), "isWaiting": .bool(introduction.isWaiting),
            ]
            if let state = introduction.state { stored["state"] = .string(state) }
            json["introduction"] = stored
        }
        return json
    }

    /// Reads a stored state; nil if it is none.
    public init?(json: JSON) {
        guard let rows = json["apps"]?.array, rows.count <= Self.appLimit else { return nil }
        self.init()
        apps = rows.compactMap { App(json: $0) }
        csi = json["wcsi"]?.string.flatMap { CsiGuid($0) }
        deviceID = json["deviceId"]?.string
        if let stored = json["introduction"] {
            guard let scheme = stored["scheme"]?.string.flatMap({ AppScheme($0) }) else { return nil }
            introduction = Introduction(
                scheme: scheme, state: stored["state"]?.string, isWaiting: stored["isWaiting"]?.bool ?? false)
        }
        guard apps.count == rows.count, Set(apps.map(\.csi)).count == apps.count, csi == nil || deviceID != nil else {
            return nil
        }
    }
}

extension WalletState.App {
    var json: JSON {
        var json: JSON = ["csiGuid": .string(csi.text), "decided": .string(decided.rawValue)]
        if let name { json["name"] = .string(name) }
        if let scheme { json["scheme"] = .string(scheme.text) }
        if let request { json["request"] = .string(MessageToWallet.request(request).url) }
        return json
    }

    init?(json: JSON) {
        guard let csi = json["csiGuid"]?.string.flatMap({ CsiGuid($0) }),
            let decided = json["decided"]?.string.flatMap(PermissionPhase.init(rawValue:))
        else { return nil }
        self.init(csi: csi)
        self.decided = decided
        name = json["name"]?.string
        scheme = json["scheme"]?.string.flatMap { AppScheme($0) }
        if let url = json["request"]?.string {
            guard case .request(let request)? = MessageToWallet(url) else { return nil }
            self.request = request
        }
    }
}
