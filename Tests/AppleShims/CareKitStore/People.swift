import Foundation

/// CareKit: OCKPatient.swift
public struct OCKPatient: Codable, Hashable, Identifiable, Sendable {
    public var id: String
    public var name: PersonNameComponents
    public var sex: OCKBiologicalSex?
    public var birthday: Date?
    public var allergies: [String]?
    public var effectiveDate: Date
    public var deletedDate: Date?
    public var uuid = UUID()
    public var nextVersionUUIDs: [UUID] = []
    public var previousVersionUUIDs: [UUID] = []
    public var createdDate: Date?
    public var updatedDate: Date?
    public var schemaVersion: OCKSemanticVersion?
    public var groupIdentifier: String?
    public var tags: [String]?
    public var remoteID: String?
    public var source: String?
    public var userInfo: [String: String]?
    public var asset: String?
    public var notes: [OCKNote]?
    public var timezone: TimeZone

    public init(id: String, name: PersonNameComponents) {
        (self.id, self.name) = (id, name)
        effectiveDate = Date()
        timezone = TimeZone.current
    }

    public init(id: String, givenName: String, familyName: String) {
        var name = PersonNameComponents()
        name.givenName = givenName
        name.familyName = familyName
        self.init(id: id, name: name)
    }
}

/// CareKit: OCKCarePlan.swift
public struct OCKCarePlan: Codable, Hashable, Identifiable, Sendable {
    public var patientUUID: UUID?
    public var id: String
    public var title: String
    public var effectiveDate: Date
    public var deletedDate: Date?
    public var uuid = UUID()
    public var nextVersionUUIDs: [UUID] = []
    public var previousVersionUUIDs: [UUID] = []
    public var createdDate: Date?
    public var updatedDate: Date?
    public var schemaVersion: OCKSemanticVersion?
    public var groupIdentifier: String?
    public var tags: [String]?
    public var remoteID: String?
    public var userInfo: [String: String]?
    public var source: String?
    public var asset: String?
    public var notes: [OCKNote]?
    public var timezone: TimeZone

    public init(id: String, title: String, patientUUID: UUID?) {
        (self.id, self.title, self.patientUUID) = (id, title, patientUUID)
        effectiveDate = Date()
        timezone = TimeZone.current
    }
}

/// CareKit: OCKContact.swift
public struct OCKContact: Codable, Hashable, Identifiable, Sendable {
    public var carePlanUUID: UUID?
    public var id: String
    public var name: PersonNameComponents
    public var address: OCKPostalAddress?
    public var emailAddresses: [OCKLabeledValue]?
    public var messagingNumbers: [OCKLabeledValue]?
    public var phoneNumbers: [OCKLabeledValue]?
    public var otherContactInfo: [OCKLabeledValue]?
    public var organization: String?
    public var title: String?
    public var role: String?
    public var category: OCKContactCategory?
    public var effectiveDate: Date
    public var deletedDate: Date?
    public var uuid = UUID()
    public var nextVersionUUIDs: [UUID] = []
    public var previousVersionUUIDs: [UUID] = []
    public var createdDate: Date?
    public var updatedDate: Date?
    public var schemaVersion: OCKSemanticVersion?
    public var groupIdentifier: String?
    public var tags: [String]?
    public var remoteID: String?
    public var userInfo: [String: String]?
    public var source: String?
    public var asset: String?
    public var notes: [OCKNote]?
    public var timezone: TimeZone

    public init(id: String, givenName: String, familyName: String, carePlanUUID: UUID?) {
        var name = PersonNameComponents()
        name.givenName = givenName
        name.familyName = familyName
        (self.id, self.name, self.carePlanUUID) = (id, name, carePlanUUID)
        effectiveDate = Date()
        timezone = TimeZone.current
    }
}

extension OCKPatient: OCKVersionedObjectCompatible {
    package static var entityType: OCKEntity.EntityType { .patient }
    package func entity() -> OCKEntity { .patient(self) }
}
extension OCKCarePlan: OCKVersionedObjectCompatible {
    package static var entityType: OCKEntity.EntityType { .carePlan }
    package func entity() -> OCKEntity { .carePlan(self) }
}
extension OCKContact: OCKVersionedObjectCompatible {
    package static var entityType: OCKEntity.EntityType { .contact }
    package func entity() -> OCKEntity { .contact(self) }
}
