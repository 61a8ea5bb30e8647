import Foundation

// Declarations of CareKit 4 as far as the adapter, its tests and the simulations use them. Names, members and JSON are
// CareKit's; the behaviour is that of ../../../docs/care-plans.md. It proves nothing about Apple's own store.

/// CareKit: OCKResultClosure.swift
public typealias OCKResultClosure<T> = @Sendable (Result<T, OCKStoreError>) -> Void

/// CareKit: OCKStoreError.swift
public enum OCKStoreError: LocalizedError {
    case fetchFailed(reason: String)
    case addFailed(reason: String)
    case updateFailed(reason: String)
    case deleteFailed(reason: String)
    case remoteSynchronizationFailed(reason: String)
    case invalidValue(reason: String)
    case timedOut(reason: String)

    public var errorDescription: String? {
        switch self {
        case .fetchFailed(let reason): "Failed to fetch: \(reason)"
        case .addFailed(let reason): "Failed to add: \(reason)"
        case .updateFailed(let reason): "Failed to update: \(reason)"
        case .deleteFailed(let reason): "Failed to delete: \(reason)"
        case .remoteSynchronizationFailed(let reason): "Sync failed: \(reason)"
        case .timedOut(let reason): "Timed out: \(reason)"
        case .invalidValue(let reason): "Invalid value: \(reason)"
        }
    }
}

/// CareKit: OCKNote.swift
public struct OCKNote: Codable, Hashable, Sendable {
    public var author: String?
    public var title: String?
    public var content: String?

    public init(author: String?, title: String?, content: String?) {
        (self.author, self.title, self.content) = (author, title, content)
    }
}

/// CareKit: OCKSemanticVersion.swift
public struct OCKSemanticVersion: Codable, Hashable, Sendable {
    public let majorVersion: Int
    public let minorVersion: Int
    public let patchNumber: Int

    public init(majorVersion: Int, minorVersion: Int = 0, patchNumber: Int = 0) {
        (self.majorVersion, self.minorVersion, self.patchNumber) = (majorVersion, minorVersion, patchNumber)
    }
}

/// CareKit: OCKLabeledValue.swift
public struct OCKLabeledValue: Codable, Hashable, Sendable {
    public var label: String
    public var value: String

    public init(label: String, value: String) { (self.label, self.value) = (label, value) }
}

/// CareKit: OCKPostalAddress.swift
public struct OCKPostalAddress: Hashable, Codable, Sendable {
    public var street: String
    public var city: String
    public var state: String
    public var postalCode: String
    public var country: String
    public var isoCountryCode: String
    public var subAdministrativeArea: String
    public var subLocality: String

    public init(
        street: String, city: String, state: String, postalCode: String, country: String, isoCountryCode: String = "",
        subAdministrativeArea: String = "", subLocality: String = ""
    ) {
        (self.street, self.city, self.state, self.postalCode) = (street, city, state, postalCode)
        (self.country, self.isoCountryCode) = (country, isoCountryCode)
        (self.subAdministrativeArea, self.subLocality) = (subAdministrativeArea, subLocality)
    }
}

/// CareKit: OCKBiologicalSex.swift
public enum OCKBiologicalSex: RawRepresentable, Codable, Hashable, Sendable {
    case male
    case female
    case other(String)

    public var rawValue: String {
        switch self {
        case .male: "male"
        case .female: "female"
        case .other(let text): text
        }
    }

    public init(rawValue: String) {
        switch rawValue {
        case "male": self = .male
        case "female": self = .female
        default: self = .other(rawValue)
        }
    }
}

/// CareKit: OCKContact.swift
public enum OCKContactCategory: String, Codable, Sendable {
    case careProvider
    case friendsAndFamily
}
