import Core
import Wire

// The scope that an app requests, in the grammar of HEART: `patient/Patient.read sens/ETH conf/V`.
extension PermissionScope {
    /// Maximum bytes of a requested scope.
    public static let maximumRequestBytes = 2_000

    /// Reads a requested scope: `patient/TYPE.ACCESS` with `read` or `rs`, `write`, `crus` or `*`, and `sens/CODE`,
    /// `conf/CODE`. `btg` is ignored: nothing grants it. Without `conf/`, the confidentiality is N.
    ///
    /// - Throws: `PermissionError` `bad_field` for another word, no type, two confidentialities, and types of different
    ///   access: a permission gives one access to all its types.
    public init(requested text: String) throws(PermissionError) {
        let refusal = PermissionError(.badField, "The requested scope is not one that a permission can give.")
        guard text.utf8.count <= Self.maximumRequestBytes else { throw refusal }
        var access: Access?
        var types: [String] = []
        var confidentiality: String?
        var sensitivities: [String] = []
        for word in text.split(separator: " ") {
            let parts = word.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            guard parts != ["btg"] else { continue }
            guard parts.count == 2 else { throw refusal }
            switch parts[0] {
            case Self.permissionType:
                let names = parts[1].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                guard names.count == 2, let wanted = Access(requested: names[1]), access ?? wanted == wanted else {
                    throw refusal
                }
                access = wanted
                if !types.contains(names[0]) { types.append(names[0]) }
            case "conf":
                guard confidentiality == nil else { throw refusal }
                confidentiality = parts[1]
            case "sens": if !sensitivities.contains(parts[1]) { sensitivities.append(parts[1]) }
            default: throw refusal
            }
        }
        guard let access, let types = Types(types.contains("*") ? "*" : types.joined(separator: ",")) else {
            throw refusal
        }
        try self.init(
            access: access, confidentiality: confidentiality ?? "N", sensitivities: sensitivities, types: types)
    }

    /// The scope as an app requests it.
    public var requestText: String {
        let names: [String] =
            switch types {
            case .all: ["*"]
            case .listed(let types): types
            }
        return
            (names.map { "\(Self.permissionType)/\($0).\(access.rawValue)" } + sensitivities.map { "sens/\($0)" }
            + ["conf/\(confidentiality)"]).joined(separator: " ")
    }
}

extension PermissionScope.Access {
    init?(requested text: String) {
        switch text {
        case "read", "rs": self = .read
        case "write", "crus", "*": self = .write
        default: return nil
        }
    }
}
