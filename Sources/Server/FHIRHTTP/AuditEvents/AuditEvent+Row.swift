import AccessPolicy
import Audit
import FHIR
import FHIRSearch
import Foundation

extension AuditEvent {
    /// Creates the resource of a row of the audit, with the elements of IHE's Basic Audit Log Patterns
    /// (<https://profiles.ihe.net/ITI/BALP/>).
    ///
    /// - Parameters:
    ///   - participant: the reader, if they may read only about themselves: it shows no other participant, and no id of
    ///     another participant's resource.
    ///   - url: the base URL of the server, which observed the event.
    package init(_ event: AuditedEvent, for participant: String? = nil, url: String) {
        let entry = event.entry
        let kind = AuditEventKind(entry.action)
        self.init(
            id: String(entry.number), type: kind.type, recorded: DateTime(entry.at),
            agent: Self.agents(of: entry, kind) + [Self.server(url)], source: Self.source(url))
        subtype = kind.subtypes
        action = kind.action
        outcome = entry.isAllowed ? .success : .minorFailure
        if !entry.isAllowed { outcomeDesc = entry.reason }
        entity = Self.entities(of: event, for: participant)
    }

    // MARK: - Agents

    private static func agents(of entry: AuditEntry, _ kind: AuditEventKind) -> [Agent] {
        var agents: [Agent] = []
        if let client = entry.client {
            var agent = Agent(requestor: entry.actor == client)
            agent.type = CodeableConcept(coding: [AuditEventKind.dicom("110153", "Source Role ID")])
            agent.who = reference(to: client, type: "Device")
            agents.append(agent)
        }
        guard entry.actor != entry.client || entry.actor == nil else { return agents }
        var agent = Agent(requestor: true)
        agent.type = CodeableConcept(coding: [
            Coding(
                system: "http://terminology.hl7.org/CodeSystem/v3-ParticipationType",
                code: kind.isReading ? "IRCP" : "AUT")
        ])
        if let actor = entry.actor {
            agent.who = reference(to: actor, type: nil)
        } else {
            var who = Reference()
            who.display = "A caller without an account"
            agent.who = who
        }
        if let role = entry.role {
            agent.role = [CodeableConcept(coding: [Coding(system: "urn:tributary:audit-role", code: role)])]
        }
        return [agent] + agents
    }

    private static func server(_ url: String) -> Agent {
        var agent = Agent(requestor: false)
        agent.type = CodeableConcept(coding: [AuditEventKind.dicom("110152", "Destination Role ID")])
        agent.who = observer(url)
        return agent
    }

    private static func source(_ url: String) -> Source {
        var source = Source(observer: observer(url))
        let system = "http://terminology.hl7.org/CodeSystem/security-source-type"
        var type = Coding(system: system, code: "4")
        type.display = "Application Server"
        source.type = [type]
        return source
    }

    private static func observer(_ url: String) -> Reference {
        var reference = reference(to: url, type: "Device", system: "urn:ietf:rfc:3986")
        reference.display = "Tributary"
        return reference
    }

    /// Returns a reference by an identifier: persons and apps of the audit are no resources.
    private static func reference(to id: String, type: String?, system: String? = nil) -> Reference {
        var identifier = Identifier()
        identifier.system = system
        identifier.value = id
        var reference = Reference()
        reference.type = type
        reference.identifier = identifier
        return reference
    }

    // MARK: - Entities

    private static func entities(of event: AuditedEvent, for reader: String?) -> [Entity] {
        let entry = event.entry
        let isOwn = reader == nil || event.subject?.id == reader
        var participants = [event.subject].compactMap { $0 }
        participants += event.shown.filter { $0.pseudonym != event.subject?.pseudonym }
        var entities = participants.filter { reader == nil || $0.id == reader }.map(patient)
        if event.isCut, reader == nil {
            var more = Entity()
            more.description = "More participants than are listed."
            entities.append(more)
        }
        guard let type = entry.resourceType, type != Patient.resourceType || event.subject == nil else {
            return entities
        }
        var target = Entity()
        var what = Reference()
        if RecordType.isHeld(type) {
            what.type = type
            if isOwn, let id = entry.resourceID, Resource.isID(id) { what.reference = "\(type)/\(id)" }
        } else {
            what.display = type
            if isOwn, let id = entry.resourceID { what.identifier = reference(to: id, type: nil).identifier }
        }
        target.what = what
        target.type = coding("audit-entity-type", code: "2", display: "System Object")
        target.role = coding("object-role", code: "4", display: "Domain Resource")
        if isOwn, let amount = entry.amount {
            target.detail = [Entity.Detail(type: "amount", value: .string(String(amount)))]
        }
        entities.append(target)
        return entities
    }

    private static func patient(_ participant: AuditedEvent.Participant) -> Entity {
        var entity = Entity()
        if let id = participant.id {
            var what = Reference()
            what.reference = "Patient/" + id
            entity.what = what
        } else {
            // The participant was deleted; the pseudonym remains.
            entity.what = reference(to: participant.pseudonym, type: Patient.resourceType)
        }
        entity.type = coding("audit-entity-type", code: "1", display: "Person")
        entity.role = coding("object-role", code: "1", display: "Patient")
        return entity
    }

    private static func coding(_ system: String, code: String, display: String) -> Coding {
        var coding = Coding(system: "http://terminology.hl7.org/CodeSystem/" + system, code: code)
        coding.display = display
        return coding
    }
}
