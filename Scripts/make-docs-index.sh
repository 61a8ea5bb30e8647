#!/bin/sh
# The library modules whose reference `make docs` writes, and the page that leads to them.
#
#   Scripts/make-docs-index.sh --list    the modules' names
#   Scripts/make-docs-index.sh FOLDER    writes FOLDER/index.html
set -eu

# A module, and a sentence that says what it is for.
modules() {
    cat <<'END'
FHIR|Reads, changes and writes FHIR R4 resources without losing what it does not know, and dates and times with their offsets.
UCUM|Reads units of measure and converts between them exactly.
FHIRPath|Asks resources questions in FHIRPath.
FHIRValidation|Says what is wrong with a resource, by the standard and by profiles, with the line of each fault.
FHIRVersions|Converts DSTU2 and STU3 into R4, and says what has no place there.
JSONQuery|Asks any JSON questions in JMESPath and JSONPath.
FHIRXML|Reads and writes the XML form of FHIR R4; where libxml2 is.
Wire|Seals what leaves the phone for the study's keys, and holds the messages that phone and server exchange.
Questionnaires|Leads a person through a FHIR Questionnaire and makes the QuestionnaireResponse.
InformedConsent|Presents a study's consent, checks who may take part, and makes the signed Contract without the person's name.
HealthTypes|Says what HealthKit's types of health data are in standard codes and units, and converts between units.
HealthData|Turns samples of HealthKit into Observations with the right codes and units.
HealthSync|Keeps stores in step with HealthKit: each change once, deletions too, however often the app is ended.
HealthStores|Brings health data to the outbox, to FHIR servers, event hubs and files, keeps the progress, and reads a journal of HealthKit.
HealthKitAdapter|Reads HealthKit on a phone: observers, anchored queries, permissions, and every kind of its objects.
HealthReport|Shows a person's health data as one page: daily aggregates, sleep, heart rate, workouts.
HTTPTransport|Sends HTTP requests over URLSession, without cookies, caches and unbounded answers.
FHIRClient|Reads, searches and writes the resources of a FHIR server as typed views, within limits.
Attachments|Takes out of pictures what would tell who took them, when and where.
Outbox|Queues sealed submissions on the phone, sends them in order, and learns what became of them.
END
}

case "${1:-}" in
    --list) modules | cut -d '|' -f 1; exit 0 ;;
    "" | -*) sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 64 ;;
esac

mkdir -p "$1"
{
    cat <<'END'
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tributary: reference</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
dt { font-weight: 600; margin-top: 1rem; }
dd { margin: 0; }
</style>
</head>
<body>
<h1>Tributary: reference</h1>
<p>The public interface of each library module. The guides are in the repository, in <code>docs/</code>.</p>
<dl>
END
    modules | while IFS='|' read -r name sentence; do
        page=$(printf %s "$name" | tr '[:upper:]' '[:lower:]')
        printf '<dt><a href="%s/documentation/%s/">%s</a></dt>\n<dd>%s</dd>\n' "$name" "$page" "$name" "$sentence"
    done
    printf '</dl>\n</body>\n</html>\n'
} >"$1/index.html"
