package apptest

const FourFacts = `# Memory

- Deploys are on Fridays. <!-- id=01938f6e-0000-7000-8000-000000000a01 type=procedural importance=0.9 tags=ops key=deploy.day created=2026-05-04T10:00:00Z -->
- Deploys are on Fridays, always. <!-- id=01938f6e-0000-7000-8000-000000000a02 type=semantic source=01938f6e-0000-7000-8000-0000000beef1 created=2026-05-03T10:00:00Z -->
- ~~Deploys are on Mondays.~~ <!-- id=01938f6e-0000-7000-8000-000000000a03 type=procedural created=2026-05-02T10:00:00Z -->
- The freeze lasts a week. <!-- id=01938f6e-0000-7000-8000-000000000a04 type=semantic created=2026-05-01T10:00:00Z expires=2026-05-08T00:00:00Z -->
`
