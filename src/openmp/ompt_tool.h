/* ompt_tool.h: the runtime of the process reports its regions by OMPT. */
#ifndef PIT_OMPT_TOOL_H
#define PIT_OMPT_TOOL_H

int pit__ompt_is_on(void);

#endif
