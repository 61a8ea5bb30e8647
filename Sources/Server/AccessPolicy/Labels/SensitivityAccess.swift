/// Sensitive records that a grant gives access to, from its `sens/` scopes (HEART's profile of scopes, section 3,
/// <https://openid.net/specs/openid-heart-fhir-oauth2-1_0-2018-07-08.txt>).
package enum SensitivityAccess: Sendable, Hashable {
    /// Records whose sensitivities are all among the codes. The set is complete: access to ETH includes SUD, ETHUD and
    /// OPIOIDUD here too. An empty set permits only records that are not sensitive.
    case codes(Set<String>)
    /// All records, including those with labels that are not recognized: `sens/*`.
    case every

    /// No sensitive record.
    package static let none = SensitivityAccess.codes([])

    /// Whether records with these sensitivities may be read.
    package func permits(_ sensitivities: Set<String>) -> Bool {
        switch self {
        case .every: true
        case .codes(let codes): sensitivities.isSubset(of: codes)
        }
    }
    /// Whether it includes all that another one includes.
    package func includes(_ other: SensitivityAccess) -> Bool {
        switch (self, other) {
        case (.every, _): true
        case (.codes(let own), .codes(let others)): others.isSubset(of: own)
        case (.codes, .every): false
        }
    }
}
