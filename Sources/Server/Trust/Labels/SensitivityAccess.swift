/// Which sensitive records a grant reaches: what its `sens/` scopes say (HEART's profile of scopes, section 3,
/// <https://openid.net/specs/openid-heart-fhir-oauth2-1_0-2018-07-08.txt>).
public enum SensitivityAccess: Sendable, Hashable {
    /// Those whose every sensitivity is among the codes, which are all written out: whoever may see ETH has SUD, ETHUD
    /// and OPIOIDUD here too. Without a code, those alone that are not sensitive.
    case codes(Set<String>)
    /// Every one, those with labels that are not understood included: `sens/*`.
    case every

    /// No sensitive record.
    public static let none = SensitivityAccess.codes([])

    /// Whether a record with the sensitivities may be seen.
    public func permits(_ sensitivities: Set<String>) -> Bool {
        switch self {
        case .every: true
        case .codes(let codes): sensitivities.isSubset(of: codes)
        }
    }
    /// Whether it reaches all that another one reaches.
    public func includes(_ other: SensitivityAccess) -> Bool {
        switch (self, other) {
        case (.every, _): true
        case (.codes(let own), .codes(let others)): others.isSubset(of: own)
        case (.codes, .every): false
        }
    }
}
