import FHIR
import Foundation

extension CarePlanContents {
    /// Returns the plan as a Bundle of FHIR R4 of type `collection`, for reading.
    ///
    /// It has a Patient, CarePlans with their CareTeams, a Practitioner with PractitionerRole or a RelatedPerson for each
    /// contact, a ServiceRequest for each schedule element, and for each recorded event a Task with an Observation for each
    /// value. Tasks without a plan are activities of a CarePlan of their own. Versions of tasks that are no longer current
    /// are present if an event of them is recorded.
    ///
    /// Data without an element in R4 are extensions, `urn:tributary:carekit:NAME`. An event whose time would take too long
    /// to compute has no `executionPeriod`.
    ///
    /// - Parameter patient: the id of the patient's account.
    public func bundle(patient: String) -> FHIR.Bundle {
        var view = CarePlanView(self, patient: patient)
        view.make()
        var bundle = JSONObject(resourceType: "Bundle")
        bundle["type"] = "collection"
        if !view.entries.isEmpty { bundle["entry"] = .array(view.entries) }
        return FHIR.Bundle(bundle)
    }
}

/// Makes the resources of a plan.
struct CarePlanView {
    let contents: CarePlanContents
    let patient: String
    private(set) var entries: [JSON] = []
    /// The identity of the Patient who is the subject of all resources.
    private(set) var subject: UUID
    var budget = ScheduleBudget(ScheduleBudget.plan)

    /// The identity from which the resources of the plan as a whole are derived.
    private static let root = UUID((0x7472_6962_7574_6172, 0x792D_6361_7265_0000))

    init(_ contents: CarePlanContents, patient: String) {
        self.contents = contents
        self.patient = patient
        subject = CareViewIdentity.derived(from: Self.root, "patient " + patient)
    }

    /// The identity of the CarePlan of tasks without a plan.
    var remainder: UUID { CareViewIdentity.derived(from: Self.root, "plan " + patient) }

    mutating func make() {
        let current = contents.current
        let people = current.filter { $0.kind == .patient }
        if let person = people.first { subject = person.uuid }
        addPatients(people)
        let members = addContacts(current.filter { $0.kind == .contact })
        let requests = addTasks()
        addPlans(current.filter { $0.kind == .carePlan }, members: members, requests: requests)
    }

    /// Adds a resource.
    mutating func add(_ uuid: UUID, _ resource: JSON) {
        var resource = resource
        resource.withMembers { $0.set("id", .string(uuid.lowercaseText), at: 1) }
        entries.append(["fullUrl": .string(CareViewIdentity.url(uuid)), "resource": resource])
    }

    /// A resource with the members that the versions of all kinds have.
    ///
    /// - Parameter hasNotes: whether R4 has an element for notes, which the caller sets.
    func resource(_ type: String, of version: CareEntity, extensions: [JSON?] = [], hasNotes: Bool = false) -> JSON {
        var resource: JSON = ["resourceType": .string(type)]
        let zone = zone(of: version)
        if let date = version.updatedDate {
            resource["meta"] = [
                "lastUpdated": FHIRText.dateTime(Date(timeIntervalSinceReferenceDate: date), in: zone)
            ]
        }
        let object = version.object
        var all = extensions
        for name in ["groupIdentifier", "remoteID", "source", "asset"] {
            all.append(CareExtension.text(name, object[name]))
        }
        all += (object["tags"]?.array ?? []).map { CareExtension.text("tag", $0) }
        all += (object["userInfo"]?.object?.members ?? []).map { member in
            CareExtension.group(
                "userInfo",
                [CareExtension.text("key", .string(member.key)), CareExtension.text("value", member.value)])
        }
        if !hasNotes {
            all += (object["notes"]?.array ?? []).map { note in
                CareExtension.group("note", ["author", "title", "content"].map { CareExtension.text($0, note[$0]) })
            }
        }
        all.append(CareExtension.text("timezone", object.at("timezone", "identifier")))
        all.append(
            CareExtension.value(
                "effectiveDate", type: "DateTime",
                FHIRText.dateTime(Date(timeIntervalSinceReferenceDate: version.effectiveDate), in: zone)))
        if version.kind == .patient || version.kind == .contact, let created = time("createdDate", of: version) {
            all.append(CareExtension.value("createdDate", type: "DateTime", created))
        }
        let schema = ["majorVersion", "minorVersion", "patchNumber"].compactMap {
            object["schemaVersion"]?[$0]?.number?.text
        }
        all.append(CareExtension.text("schemaVersion", .string(schema.joined(separator: "."))))
        all += version.previous.map {
            CareExtension.value("previousVersion", type: "Uri", .string(CareViewIdentity.url($0)))
        }
        resource.set("extension", elements: all)
        return resource
    }

    /// The notes of a version as Annotations.
    func annotations(of version: CareEntity) -> [JSON?] {
        (version.object["notes"]?.array ?? []).map { note in
            guard let text = FHIRText.string(note["content"]) ?? FHIRText.string(note["title"]) else { return nil }
            var annotation: JSON = [:]
            if FHIRText.string(note["content"]) != nil {
                annotation.set("extension", elements: [CareExtension.text("title", note["title"])])
            }
            annotation.set("authorString", FHIRText.string(note["author"]).map { .string($0) })
            annotation["text"] = .string(text)
            return annotation
        }
    }

    func zone(of version: CareEntity) -> TimeZone { CareCalendar.timeZone(version.object["timezone"]) ?? .gmt }

    /// The time in a member of a version; nil if it has none.
    func time(_ member: String, of version: CareEntity) -> JSON? {
        Date(careSeconds: version.object[member]).map { FHIRText.dateTime($0, in: zone(of: version)) }
    }

    /// The identifier of an entity: the id that all of its versions share.
    static func identifier(_ version: CareEntity) -> JSON {
        var identifier: JSON = ["system": .string(CareExtension.prefix + version.kind.rawValue)]
        identifier.set("value", FHIRText.string(.string(version.id)).map { .string($0) })
        return identifier
    }
}
