"""Memory, each part usable on its own as a library. It never imports the agent.

tier       in plain words                          where it is kept                      in the prompt?
Core       the agent's short working notes         memories/MEMORY.md        `curated`   yes, frozen per session
User       who the person is, how they like it     memories/USER.md          `curated`   yes, frozen per session
Episodic   what was said in every session          state.db                  `record`    no, searched when needed
Archival   long-term facts that do not fit Core    the active provider       (to come)   no, searched when needed
Board      findings of everyone on one board       kanban/boards/<slug>/kb   (to come)   no, read through its tools
"""
